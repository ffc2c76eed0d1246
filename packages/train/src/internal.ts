/** Internal: defaults and schedule of training, for Kith's own packages; it loads no runtime. */
export { Schedule } from './optimiser/schedule.ts'
export { trainDefaults } from './settings.ts'
