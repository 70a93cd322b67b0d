"""Puts the program into the wheel of one platform: GPDRF_PROGRAM, built for GOOS and GOARCH.

Beside the program lie the licences and the bill of materials of what it was linked with.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# A Go program without C runs on every Linux of its processor, with glibc or musl. Go 1.26 needs macOS 12.
TAGS = {
    ("linux", "amd64"): "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


class Program(BuildHookInterface[Any]):
    """Adds the program, and the tag of its platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        program, platform = os.environ["GPDRF_PROGRAM"], (os.environ["GOOS"], os.environ["GOARCH"])
        name = "gpdrf-gpu.exe" if platform[0] == "windows" else "gpdrf-gpu"
        build_data["shared_scripts"][program] = name
        notices = "THIRD_PARTY_NOTICES.txt"
        build_data["extra_metadata"][str(Path(program).with_name(notices))] = notices
        build_data["sbom_files"].append(str(Path(program).with_name("sbom.cdx.json")))
        build_data["tag"] = f"py3-none-{TAGS[platform]}"
        build_data["pure_python"] = False
