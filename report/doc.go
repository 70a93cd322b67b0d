// Package report makes a page of HTML from run folders. A page is one file without references to
// others. Its charts are SVG that is drawn here, since libraries for charts bring megabytes of
// scripts, or fixed colours.
package report
