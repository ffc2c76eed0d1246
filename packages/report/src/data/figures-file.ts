import { FileError } from '@kith/base'
import { KithError } from '@kith/core'
import { checkFigure, type Figure } from '../plots/figure.ts'

/** Figures as JSON, for `parseFigures`. */
export function formatFigures(figures: readonly Figure[]): string {
  return `${JSON.stringify({ kith: 'figures', version: 1, figures }, undefined, 1)}\n`
}

/** Parses and checks the figures of a file. */
export function parseFigures(text: string, file: string): Figure[] {
  const wrong = (problem: string) => new FileError(file, '', problem)
  let content: { kith?: unknown; version?: unknown; figures?: unknown } | null
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw wrong(`not JSON: ${(error as Error).message}`)
  }
  if (content?.kith !== 'figures' || !Array.isArray(content.figures)) {
    throw wrong('holds no figures of kith')
  }
  if (content.version !== 1) throw wrong(`is of version ${content.version}, this program reads 1`)
  return content.figures.map((figure, i) => {
    try {
      checkFigure(figure, `figure ${i + 1}`)
    } catch (error) {
      throw error instanceof KithError ? wrong(error.message) : error
    }
    return figure
  })
}
