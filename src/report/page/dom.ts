export type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null>;

/** An element with attributes and children. Strings become text nodes: no name can become markup. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill<T extends Element>(element: T, attributes: Attributes, children: Child[]): T {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(label: Child, attributes: Attributes, onClick: () => void): HTMLButtonElement {
  const element = h("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", onClick);
  return element;
}

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** A table with a header row; cells with numbers are aligned by their column's class. */
export function table(caption: string, head: readonly [name: string, kind?: string][], rows: Child[][]): HTMLElement {
  const cell = (tag: "td" | "th", child: Child, at: number) =>
    h(tag, { class: head[at]?.[1] ?? null, scope: tag === "th" ? "col" : null }, child);
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h("thead", {}, h("tr", {}, ...head.map(([name], at) => cell("th", name, at)))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((child, at) => cell("td", child, at))))),
    ),
  );
}

export function empty(title: string, text: string): HTMLElement {
  return h("p", { class: "empty" }, h("strong", {}, title), ` ${text}`);
}
