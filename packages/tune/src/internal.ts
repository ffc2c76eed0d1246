/**
 * Internal: trials, suggestions and defaults of the tuner, for Kith's own packages. They may change
 * with any version; programs use the package's main entry.
 */
export { viewsOf, withStatistics } from './evaluate/collection.ts'
export { timePerQuery } from './evaluate/evaluator.ts'
export { search } from './search/search.ts'
export { suggestEvenly } from './search/tpe.ts'
export { settingSpace, settingsOf } from './settings/setting-space.ts'
export { tuneDefaults } from './tune.ts'
export { FEW_QUERIES } from './verdict.ts'
