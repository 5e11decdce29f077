import type { Command, Program } from './command.ts'

const scripts = {
  bash: async (program: Program) => (await import('./completion/scripts.ts')).bashScript(program),
  zsh: async (program: Program) => (await import('./completion/scripts.ts')).zshScript(program),
  fish: async (program: Program) => (await import('./completion/scripts.ts')).fishScript(program),
}

const shells = Object.keys(scripts)

/** The command that every program has: prints a script by which a shell completes its command lines. */
export const completion: Command = {
  name: 'completion',
  about: 'print a completion script for a shell',
  details:
    'bash: put eval "$(ut completion bash)" into ~/.bashrc; zsh: the same with zsh into ~/.zshrc, after compinit; fish: write the script to ~/.config/fish/completions/ut.fish. With the name of the program for ut.',
  arguments: [{ name: 'SHELL', about: shells.join(', '), choices: shells }],
  async run({ program, args, out }) {
    const shell = args.words[0] as keyof typeof scripts
    const script = await scripts[shell](program)
    out.answer({ kind: 'completion', data: { shell, script }, lines: [script] })
  },
}
