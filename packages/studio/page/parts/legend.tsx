import type { VNode } from 'preact'

/** What the signs of a picture mean: the class of each sign, and its meaning. */
export function Legend({ signs }: { signs: Readonly<Record<string, string>> }): VNode {
  return (
    <ul class="legend" aria-label="Legend">
      {Object.entries(signs).map(([sign, meaning]) => (
        <li key={sign}>
          <span class={sign} /> {meaning}
        </li>
      ))}
    </ul>
  )
}
