export { version } from '@kith/base'
