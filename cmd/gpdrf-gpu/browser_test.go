// These commands of scripts open pages in a browser.

package main

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// browsers are the names of Chromium without a window.
var browsers = []string{"chromium-headless-shell", "chromium", "chrome-headless-shell"}

// browser returns the path of Chromium on this machine; "" without it.
func browser() string {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// probe is a script that checks the page into which it is put. It writes its findings into the title.
const probe = `<script>
const found = { errors: window.failures, wide: document.documentElement.scrollWidth, view: innerWidth };
found.dark = getComputedStyle(document.body).backgroundColor;
found.charts = document.querySelectorAll("svg.chart").length;
const listed = (figure) => figure && figure.querySelector("table");
found.tables = [...document.querySelectorAll("figure")].filter((f) => !listed(f) &&
  !listed(f.nextElementSibling)).length;
found.small = [...document.querySelectorAll("svg.chart")].filter((c) => c.getBoundingClientRect().width < 250).length;
// words of a table's first column that stand on two lines
found.cut = [...document.querySelectorAll("tbody th")].map((cell) => cell.firstChild).filter((text) =>
  text && text.nodeType === Node.TEXT_NODE && [...text.data.matchAll(/\S+/g)].some((word) => {
    const place = document.createRange();
    place.setStart(text, word.index);
    place.setEnd(text, word.index + word[0].length);
    return word[0].length < 20 && place.getClientRects().length > 1;
  })).length;
found.unnamed = document.querySelectorAll("svg:not([aria-label])[role], a:not([href]), th:not([scope])").length;
const skip = document.querySelector("a");
skip.focus();
// :focus waits for the window to have the focus, which may come later than this
const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
const left = () => parseFloat((rules.find((r) => r.selectorText === ".skip:focus") || skip).style.left);
found.skip = (document.hasFocus() ? skip.getBoundingClientRect().left : left()) >= 0 &&
  skip.getAttribute("href") === "#main";
const chart = [...document.querySelectorAll("svg.chart")].find((c) => c.querySelector("[data-tip]"));
chart.focus();
found.focus = document.activeElement === chart;
const press = (key) => chart.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const tip = document.getElementById("tip");
press("ArrowRight");
found.first = tip.hidden ? "" : tip.textContent;
press("ArrowRight");
found.second = tip.hidden ? "" : tip.textContent;
press("Escape");
found.away = tip.hidden;
document.title = "found " + JSON.stringify(found);
</script></body>`

// heard is the script at the beginning of the page, which collects the errors of the rest.
const heard = `<script>window.failures = [];
addEventListener("error", (e) => failures.push(String(e.message || e.target)), true);
document.addEventListener("securitypolicyviolation", (e) => failures.push("asks for " + e.blockedURI));</script></head>`

// browseCommand: browse PAGE WIDTH light|dark [TEXT] opens a page in Chromium, with a text at its end. It fails if the
// page logs anything, is wider than the window, or cannot be used by keyboard.
func browseCommand(ts *testscript.TestScript, neg bool, args []string) {
	text := strings.Replace(ts.ReadFile(args[0]), "</head>", heard, 1)
	text = strings.Replace(text, "</body>", strings.Join(args[3:], "")+probe, 1)
	path := filepath.Join(ts.MkAbs("."), "probed.html")
	ts.Check(os.WriteFile(path, []byte(text), 0o666))
	scheme := map[string]string{"dark": "0", "light": "1"}[args[2]]
	cmd := exec.Command(browser(), "--no-sandbox", "--headless", "--disable-gpu", "--hide-scrollbars",
		"--enable-logging=stderr",
		"--blink-settings=preferredColorScheme="+scheme, "--window-size="+args[1]+",1000", "--dump-dom", "file://"+path)
	var said strings.Builder
	cmd.Stderr = &said
	dom, err := cmd.Output()
	ts.Check(err)
	switch wrong := faults(string(dom), said.String(), args[2] == "dark"); {
	case neg && wrong == "":
		ts.Fatalf("%s: nothing is found", args[0])
	case neg:
		ts.Logf("found: %s", wrong)
	case wrong != "":
		ts.Fatalf("%s, %s, %s: %s", args[0], args[1], args[2], wrong)
	}
}

// faults returns the faults of a page with the probe; "" without faults.
func faults(dom, said string, dark bool) string {
	for line := range strings.Lines(said) {
		if strings.Contains(line, "CONSOLE") {
			return line
		}
	}
	title := regexp.MustCompile(`<title>found (.*?)</title>`).FindStringSubmatch(dom)
	if title == nil {
		return "its scripts did not run to their end: " + said
	}
	var found struct {
		Errors                                          []string
		Wide, View, Charts, Tables, Small, Unnamed, Cut int
		Dark, First, Second                             string
		Skip, Focus, Away                               bool
	}
	text := html.UnescapeString(title[1])
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		return err.Error()
	}
	switch {
	case len(found.Errors) > 0:
		return "errors: " + text
	case found.Wide > found.View:
		return fmt.Sprintf("%d pixels wide in a window of %d", found.Wide, found.View)
	case (found.Dark == "rgb(20, 23, 26)") != dark:
		return "its ground is " + found.Dark
	case found.Charts == 0 || found.Tables > 0 || found.Small > 0 || found.Unnamed > 0:
		return "charts without tables, too small or without names: " + text
	case found.Cut > 0:
		return "words of a table are cut: " + text
	case !found.Skip || !found.Focus || found.First == "" || found.Second == "" ||
		found.First == found.Second || !found.Away:
		return "it cannot be used by keyboard: " + text
	}
	return ""
}

// printCommand: print PAGE prints a page to PDF in Chromium.
func printCommand(ts *testscript.TestScript, neg bool, args []string) {
	out := ts.MkAbs("printed.pdf")
	cmd := exec.Command(browser(), "--no-sandbox", "--headless", "--disable-gpu",
		"--print-to-pdf="+out, "file://"+ts.MkAbs(args[0]))
	ts.Check(cmd.Run())
	text, err := os.ReadFile(out)
	ts.Check(err)
	if !strings.HasPrefix(string(text), "%PDF-") || len(text) < 10_000 {
		ts.Fatalf("%s: %d bytes of PDF", args[0], len(text))
	}
}
