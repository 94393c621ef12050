import { svg } from "./dom.js";

interface Bar {
  whole: number;
  /** Of `whole`: drawn at the bottom. */
  part: number;
  title: string;
}

/** One bar each, the first on the left. */
export function bars(list: readonly Bar[], label: string): Element {
  const [width, height] = [640, 96];
  const most = Math.max(1, ...list.map(({ whole }) => whole));
  const step = width / Math.max(20, list.length);
  // A square root, so that one that is very tall does not flatten all others.
  const tall = (n: number) => (n === 0 ? 0 : Math.max(2, Math.sqrt(n / most) * (height - 8)));
  const groups = list.map(({ whole, part, title }, at) => {
    const [x, w] = [at * step + 1, Math.max(1, step - 2)];
    const [all, below] = [tall(whole), tall(whole) * (whole === 0 ? 0 : part / whole)];
    return svg(
      "g",
      {},
      svg("title", {}, title),
      svg("rect", { class: "hit", x, y: 0, width: w, height }),
      svg("rect", { class: "spared", x, y: height - 1 - all, width: w, height: all - below }),
      svg("rect", { class: "needed", x, y: height - 1 - below, width: w, height: below }),
      svg("rect", { class: "floor", x, y: height - 1, width: w, height: 1 }),
    );
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "bars", preserveAspectRatio: "none" },
    ...groups,
  );
}
