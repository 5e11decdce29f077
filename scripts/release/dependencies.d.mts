/** An entry of package-lock.json, as far as it is looked at. */
export interface LockEntry {
  readonly license?: string
  readonly dev?: boolean
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}
export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>
}
export type Shipped = ReadonlyMap<string, LockEntry>

export function shippedIn(lock: Lock, bundled: readonly string[]): Shipped
export function bundledIn(notice: string, lock: Lock): string[]
export function licenseFlaws(lock: Lock, shipped: Shipped): string[]
export function isPermissive(license: unknown): boolean
export function installScriptFlaws(lock: Lock): string[]
export function advisoriesIn(
  report: unknown,
  shipped: Shipped,
): { serious: string[]; others: string[]; ofTools: string[] } | null
export function checkLicenses(): string
export function checkInstallScripts(): string
export function checkInstalled(project: string): string
export function checkAdvisories(report?: () => Promise<unknown>): Promise<string>
