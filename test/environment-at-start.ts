/** As a worker was started, for it is loaded once. */
export const atStart: Readonly<NodeJS.ProcessEnv> = { ...process.env }
