import { completionScript, isShell, shells } from '../completion/completion-script.ts'
import { defineCommand } from '../options/command.ts'
import { UsageError } from '../options/usage-error.ts'
import { print } from '../terminal/output.ts'

/** `kith completion`: what makes the Tab key know the commands and options. */
export const completionCommand = defineCommand({
  name: 'completion',
  description:
    'Prints a program for your shell; where it is run, Tab completes commands, options and files.\n' +
    '  bash  eval "$(kith completion bash)" in ~/.bashrc\n' +
    '  zsh   eval "$(kith completion zsh)" in ~/.zshrc, behind compinit\n' +
    '  fish  kith completion fish > ~/.config/fish/completions/kith.fish',
  example: 'kith completion bash',
  options: {},
  rest: { value: shells.join('|'), help: 'the shell' },
  async run({ rest = [] }) {
    const [shell, ...more] = rest
    if (!isShell(shell) || more.length > 0) {
      throw new UsageError(`name one shell: ${shells.join(', ')}; not ${rest.join(' ')}`)
    }
    print(completionScript(shell))
  },
})
