import { Html, html } from '../html.ts'
import { describeFigure, drawFigure, type Figure } from '../plots/figure.ts'

/** How wide plots are on pages for which CSS shows the classes `small`, `middle` and `large`. */
type Widths = Readonly<Record<string, number>>

/** Two beside each other on a large page, one on the others. */
const COLUMN: Widths = { small: 358, 'middle large': 532 }

/** As wide as the page. */
export const FULL: Widths = { small: 358, middle: 690, large: 1100 }

/** The figures, two beside each other where there is room; a single one is as wide as the page. */
export function figuresSection(figures: readonly Figure[]): Html {
  if (figures.length === 0) return html``
  if (figures.length === 1) {
    return html`<section id="figures">\n${figureHtml(figures[0]!, FULL, 'h2')}</section>\n`
  }
  return html`<section id="figures">
<h2>Figures</h2>
<div class="figures">
${figures.map((figure) => figureHtml(figure, COLUMN))}</div>
</section>
`
}

/** A figure with its caption, drawn for each size of page: letters keep their size. */
export function figureHtml(figure: Figure, widths: Widths, heading: 'h2' | 'h3' = 'h3'): Html {
  const { title, description } = describeFigure(figure)
  return html`<figure>
${new Html(`<${heading}>`)}${title}${new Html(`</${heading}>`)}
${Object.entries(widths).map(
  ([pages, width]) =>
    html`<div class="${pages}">${new Html(drawFigure(figure, { width }))}</div>\n`,
)}<figcaption>${description}</figcaption>
</figure>
`
}
