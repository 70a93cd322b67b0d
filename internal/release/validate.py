"""Validates bills of materials by the schema of CycloneDX that each names: validate.py FILE ..."""

import json
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

for name in sys.argv[1:]:
    text = Path(name).read_text()
    found = JsonStrictValidator(SchemaVersion.from_version(json.loads(text)["specVersion"])).validate_str(text)
    if found:
        sys.exit(f"{name}: {str(found)[:1000]}")
