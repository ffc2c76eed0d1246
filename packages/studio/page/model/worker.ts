import '@kith/languages'
import { doMean } from '../settings/mean-jobs.ts'
import type { MeanWish } from '../settings/mean-study.ts'
import { doMethod, type MethodWish } from './method-jobs.ts'
import { listen } from './source.ts'

/** The program of the workers that rank: one ranks a query, another all of them for the means. */
listen<MethodWish | MeanWish>((wish) => {
  if ('job' in wish) doMethod(wish)
  else doMean(wish)
})
