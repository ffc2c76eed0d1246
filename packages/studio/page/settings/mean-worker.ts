import { fetchJudged } from '../model/api.ts'
import type { MeanAnswer, MeanWish } from './mean-messages.ts'
import { MeanStudy } from './mean-study.ts'

/** The worker of the curve: one study, and always the latest wish. */
const study = fetchJudged().then((queries) => new MeanStudy(queries))
let latest: MeanWish | undefined
let running = false

addEventListener('message', ({ data }: MessageEvent<MeanWish>) => {
  latest = data
  if (!running) void work()
})

async function work(): Promise<void> {
  running = true
  try {
    while (latest) {
      const wish = latest
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
