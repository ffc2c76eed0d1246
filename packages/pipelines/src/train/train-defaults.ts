/** The defaults of a training, for the command line, which does not import the training itself. */
export { trainDefaults } from '@kith/train/internal'
