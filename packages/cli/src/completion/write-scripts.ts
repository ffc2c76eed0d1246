/**
 * The last step of the build: writes every shell's completion script from the options of all
 * commands.
 */
import { writeFileSync } from 'node:fs'
import { allCommands } from '../command-list.ts'
import { scriptFile, shells } from './completion-script.ts'
import { bashCompletion, fishCompletion, zshCompletion } from './programs.ts'

const make = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion }
const commands = await allCommands()
for (const shell of shells) writeFileSync(scriptFile(shell), make[shell](commands))
