import type { VNode } from 'preact'
import { useId } from 'preact/hooks'

interface SliderProps {
  label: string
  symbol?: string | undefined
  help: string
  from: number
  to: number
  step: number
  value: number
  onChange: (value: number) => void
}

/** A number to slide, or to type. */
export function Slider(props: SliderProps): VNode {
  const { label, symbol, help, from, to, step, value, onChange } = props
  const id = useId()
  const take = (text: string): void => {
    const given = text === '' ? Number.NaN : Number(text)
    if (!Number.isFinite(given)) return
    const within = Math.min(to, Math.max(from, given))
    onChange(Number.isInteger(step) ? Math.round(within) : within)
  }
  return (
    <div class="slider" title={help}>
      <label for={id}>
        {label}
        {symbol && <MethodSymbol name={symbol} />}
      </label>
      <input
        type="number"
        aria-label={`${label}, as a number`}
        min={from}
        max={to}
        step={step}
        value={shown(value)}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <input
        id={id}
        type="range"
        min={from}
        max={to}
        step={step}
        value={value}
        onInput={(event) => take(event.currentTarget.value)}
      />
    </div>
  )
}

/** A symbol of the method; what follows `_` is set lower. */
function MethodSymbol({ name }: { name: string }): VNode {
  const [base, below] = name.split('_')
  return (
    <i class="symbol" aria-hidden="true">
      {base}
      {below && <sub>{below}</sub>}
    </i>
  )
}

/** 2/3 has no end. */
function shown(value: number): number {
  return Number(value.toFixed(4))
}

interface ChoiceProps<T> {
  label: string
  help: string
  options: readonly T[]
  value: T
  onChange: (value: T) => void
}

/** A choice among a few words. */
export function Choice<T extends string>(props: ChoiceProps<T>): VNode {
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

/** A choice among many words. */
export function LongChoice<T extends string>(props: ChoiceProps<T>): VNode {
  const { label, help, options, value, onChange } = props
  const id = useId()
  return (
    <div class="preset" title={help}>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value as T)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A legend: the class of each sign in a picture, and its meaning. */
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

/** Lets the arrow keys, Home and End go through the buttons of a list. */
export function moveFocus(event: KeyboardEvent): void {
  const list = event.currentTarget as HTMLElement
  const buttons = [...list.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  if (at < 0) return
  const next: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: buttons.length - 1,
  }
  const target = buttons[next[event.key] ?? -1]
  if (!target) return
  event.preventDefault()
  target.focus()
}
