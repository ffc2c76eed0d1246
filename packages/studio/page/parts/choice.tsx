import type { VNode } from 'preact'
import { useId } from 'preact/hooks'

/** One of a few words. */
export function Choice<T extends string>(props: {
  label: string
  help: string
  options: readonly T[]
  value: T
  onChange: (value: T) => void
}): VNode {
  const { label, help, options, value, onChange } = props
  const name = useId()
  return (
    <fieldset class="choice" title={help}>
      <legend>{label}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option}>
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <span>{option}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
