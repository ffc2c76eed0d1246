import { rankings } from './program.mjs'

console.log(JSON.stringify(await rankings()))
