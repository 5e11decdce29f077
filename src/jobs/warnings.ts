import { errorText } from './checks.ts'

/**
 * Tells somebody who may fail at that, now or later. It is no reason to leave work undone, nor for an unhandled
 * rejection; Node says it instead.
 */
export const harmless =
  (tell: ((warning: string) => unknown) | undefined) =>
  async (warning: string): Promise<void> => {
    try {
      await tell?.(warning)
    } catch (error) {
      process.emitWarning(`${warning} And onWarning failed: ${errorText(error)}`)
    }
  }
