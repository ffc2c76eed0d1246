/** Internal: the commands and their option tables, from which the documentation site is made. */
export { listTable } from '@kith/pipelines/job'
export { allCommands } from '../command-list.ts'
export { common } from './command.ts'
export { datasetArgument, datasetOptions } from './dataset-options.ts'
export { settingRows } from './set-option.ts'
export { labelSettingOptions, settingOptions } from './setting-options.ts'
export { trainSettingTable } from './train-options.ts'
