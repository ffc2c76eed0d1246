import { source } from '../model/source.ts'
import { type MeanAnswer, MeanStudy, type MeanWish } from './mean-study.ts'

let study: Promise<MeanStudy> | undefined
let latest: MeanWish | undefined
let running = false

/** In the worker of the curve: one study, and always the latest wish. */
export function doMean(wish: MeanWish): void {
  latest = wish
  if (!running) void work()
}

async function work(): Promise<void> {
  running = true
  try {
    while (latest) {
      const wish = latest
      study ??= source()
        .judged()
        .then((queries) => new MeanStudy(queries))
      await (await study).run(wish, () => latest === wish, answer)
      if (latest === wish) latest = undefined
    }
  } catch (error) {
    latest = undefined
    answer({ error: error instanceof Error ? error.message : String(error) })
  }
  running = false
}

function answer(message: MeanAnswer): void {
  postMessage(message)
}
