/**
 * Internal: the one set of rules for settings, for Kith's own packages. It may change with any
 * version; programs use the package's main entry.
 */
export {
  choice,
  type Range,
  type Rule,
  type Rules,
  range,
  resolve,
} from './settings/setting-rules.ts'
