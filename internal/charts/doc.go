// Package charts draws charts as SVG that stands inside an HTML page. Colours are left to the
// page's style sheet: marks have the classes s0, s1, … of their series. A mark with a tip has it in
// the attribute data-tip, for a script of the page.
package charts
