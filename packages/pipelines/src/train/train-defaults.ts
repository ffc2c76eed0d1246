/** The settings of a training, for the command line, which does not import the training itself. */
export { trainDefaults, trainPresets, trainTable } from '@kith/train/internal'
