/** The defaults and names of a training, for the command line, which does not import the training itself. */
export { lossNames, optimizerNames, trainDefaults } from '@kith/train/internal'
