/**
 * Printing: figures that depend on the screen's size are redrawn for the width of paper, and wide ones made smaller.
 */

/** A4 between its margins, as in `@page` of print.css: of 210 mm, in pixels of 1/96 inch. */
const WIDTH = Math.floor(((210 - 2 * 11) / 25.4) * 96);
/** Elements that scroll sideways on a screen. */
const WIDE = ".scroll, .scroll-x, .sideways, .heat-scroll, .tree-scroll";

/** Make everything in `main` fit on paper while it is printed; `draw`: draw it, true: on paper. */
export function fitPaper(main: HTMLElement, draw: (paper: boolean) => void): void {
  let restore: (() => void)[] = [];
  window.addEventListener("beforeprint", () => {
    // The rules for paper apply to the screen, too, so that sizes are measured as they are printed.
    for (const rule of paperRules()) {
      const before = rule.media.mediaText;
      rule.media.mediaText = "all";
      restore.push(() => {
        rule.media.mediaText = before;
      });
    }
    main.style.width = `${WIDTH}px`;
    restore.push(() => {
      main.style.width = "";
    });
    draw(true);
    for (const one of main.querySelectorAll<HTMLElement>(WIDE)) {
      const inner = one.firstElementChild;
      if (!(inner instanceof HTMLElement) || one.scrollWidth <= one.clientWidth) continue;
      const { zoom } = inner.style;
      inner.style.zoom = String(Math.floor((1000 * one.clientWidth) / one.scrollWidth) / 1000);
      restore.push(() => {
        inner.style.zoom = zoom;
      });
    }
  });
  window.addEventListener("afterprint", () => {
    for (const undo of restore) undo();
    restore = [];
    draw(false);
  });
}

function paperRules(): CSSMediaRule[] {
  return [...document.styleSheets].flatMap(({ cssRules }) =>
    [...cssRules].filter(
      (rule): rule is CSSMediaRule => rule instanceof CSSMediaRule && rule.media.mediaText === "print",
    ),
  );
}
