/** A shadow at each side where a scrolled part continues. */
import { element } from "./dom.ts";

/** Put a scrolled part into a frame that shows where it continues. */
export function edged(scrolled: HTMLElement): HTMLElement {
  const frame = element("div", scrolled, "edged");
  const tell = () => {
    const { scrollLeft, clientWidth, scrollWidth } = scrolled;
    frame.classList.toggle("more-left", scrollLeft > 1);
    frame.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 1);
  };
  scrolled.addEventListener("scroll", tell, { passive: true });
  new ResizeObserver(tell).observe(scrolled);
  return frame;
}
