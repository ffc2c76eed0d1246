/** Internal: creates the elements of pages that Kith writes. It runs in browsers. */

/** An `HTMLElement` in programs with DOM types; the package's types also compile without them. */
export type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer Element } }
  ? Element
  : object

/** Creates an element with children and attributes; empty attributes are left out. */
export type MakeElement = (
  name: string,
  attributes: Record<string, string>,
  ...children: (PageElement | string)[]
) => PageElement

/**
 * Creates an element with children and attributes. The source of this function is copied into pages
 * unchanged, so it must not use anything outside itself.
 */
export const element: MakeElement = (name, attributes, ...children) => {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) if (value) made.setAttribute(key, value)
  made.append(...children)
  return made
}
