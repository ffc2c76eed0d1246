/** Internal: makes the elements of pages that Kith writes. It runs in browsers. */

/** An `HTMLElement` in programs with the DOM's types; the package's types hold without them too. */
export type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer Element } }
  ? Element
  : object

/** Makes an element with children and attributes; empty attributes are left out. */
export type MakeElement = (
  name: string,
  attributes: Record<string, string>,
  ...children: (PageElement | string)[]
) => PageElement

/**
 * The source of this function is put into pages unchanged, so it may use nothing from outside
 * itself.
 */
export const element: MakeElement = (name, attributes, ...children) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) if (value) made.setAttribute(key, value)
  made.append(...children)
  return made
}
