/**
 * Internal: the parts of fitting a linear adapter, for Kith's own packages. These exports may
 * change in any version; use `fitAdapterFiles` of `@kith/pipelines` in programs.
 */
export { FIT_ITERATIONS, fitAdapter, unitDocuments } from './adapter/fit-adapter.ts'
export { inverseTemperatureFor } from './adapter/inverse-temperature.ts'
export type { LbfgsState } from './adapter/lbfgs.ts'
export {
  adapterQueries,
  evidenceLabels,
  inverseTemperatureOf,
  type RecipeName,
  recipeFor,
  shrinkageOf,
  type TaughtQuery,
} from './adapter/recipes.ts'
