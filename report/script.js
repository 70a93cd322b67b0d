// Tips of marks, for the mouse and for the arrow keys. The page is whole without it.
"use strict";
(() => {
  const tip = document.getElementById("tip");
  let chosen = null;
  const hide = () => {
    if (chosen) chosen.classList.remove("chosen");
    chosen = null;
    tip.hidden = true;
  };
  const show = (mark) => {
    hide();
    chosen = mark;
    mark.classList.add("chosen");
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    const at = mark.getBoundingClientRect();
    const left = Math.min(at.right + 8, innerWidth - tip.offsetWidth - 8);
    const above = at.top - tip.offsetHeight - 8;
    tip.style.left = Math.max(8, left) + "px";
    tip.style.top = (above > 8 ? above : at.bottom + 8) + "px";
  };
  document.addEventListener("pointerover", (e) => {
    const mark = e.target.closest && e.target.closest("[data-tip]");
    if (mark) show(mark); else hide();
  });
  document.addEventListener("scroll", hide, { passive: true });
  for (const chart of document.querySelectorAll("svg.chart")) {
    const marks = [...chart.querySelectorAll("[data-tip]")];
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (e) => {
      const now = marks.indexOf(chosen), last = marks.length - 1;
      const next = { ArrowRight: Math.min(now + 1, last), ArrowLeft: Math.max(now - 1, 0), Home: 0, End: last }[e.key];
      if (e.key === "Escape") hide();
      if (next === undefined || last < 0) return;
      e.preventDefault();
      show(marks[next]);
    });
  }
})();
