/** Internal: the defaults of training, for Kith's own packages; it loads no runtime. */
export { trainDefaults } from './settings.ts'
