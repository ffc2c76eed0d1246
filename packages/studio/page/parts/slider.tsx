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
