/** A color for light pages and one for dark pages. */
export interface Color {
  light: string
  dark: string
}

/** Every color of the report and its plots; in CSS, each is the custom property `--<name>`. */
export const palette = {
  ground: { light: '#fdfdfb', dark: '#14171a' },
  raised: { light: '#f5f5f1', dark: '#1c2024' },
  ink: { light: '#1d2125', dark: '#e6e4de' },
  soft: { light: '#5f6871', dark: '#9aa3ab' },
  line: { light: '#dfdfd9', dark: '#333a40' },
  gain: { light: '#1b6c88', dark: '#6cc1dc' },
  loss: { light: '#b4471f', dark: '#f29b74' },
  violet: { light: '#7553a3', dark: '#b99ae6' },
  olive: { light: '#66741a', dark: '#b9c763' },
  rose: { light: '#a83567', dark: '#ec8fb6' },
  sand: { light: '#8a6a1d', dark: '#d9b766' },
} as const satisfies Record<string, Color>

/** The name of a color. */
export type ColorName = keyof typeof palette

/** A color as the plots refer to it: the page, or a standalone file, defines its value. */
export function color(name: ColorName): string {
  return `var(--${name})`
}

const series: readonly ColorName[] = ['gain', 'loss', 'violet', 'olive', 'rose', 'sand']

/** How a curve looks. */
export interface Look {
  stroke: string
  strokeDasharray?: string
}

/** The look of the i-th of several curves: a color, and dashes once the colors are used up. */
export function seriesLook(i: number): Look {
  const round = Math.floor(i / series.length)
  const stroke = color(series[i % series.length]!)
  return round === 0 ? { stroke } : { stroke, strokeDasharray: `${round * 4},3` }
}

/** The custom properties of one side of the palette, as CSS declarations. */
export function declarations(side: keyof Color): string {
  return Object.entries(palette)
    .map(([name, value]) => `--${name}: ${value[side]}`)
    .join('; ')
}
