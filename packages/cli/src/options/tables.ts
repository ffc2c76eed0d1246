/** Internal: the commands and their option tables, from which the documentation site is made. */
export { allCommands } from '../command-list.ts'
export { common } from './command.ts'
export { datasetArgument } from './dataset-options.ts'
export {
  labelSettingOptions,
  methodOptions,
  settingOptions,
  wordsOptions,
} from './setting-options.ts'
export { trainOptions } from './train-options.ts'
