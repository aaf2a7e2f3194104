import type { IssuerParts } from './issuer-parts.ts'

/** An issuer of Microsoft Entra ID. Version 0 stands for a URL of Entra that no token has as its issuer. */
export interface EntraIssuer {
  readonly version: 0 | 1 | 2
  readonly tenant: string
}

const VERSION_1_HOSTS: ReadonlySet<string> = new Set([
  'sts.windows.net',
  'sts.chinacloudapi.cn',
  'sts.microsoftonline.de',
])
const VERSION_2_HOSTS: ReadonlySet<string> = new Set([
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.windows.net',
])

/** Login endpoints in place of a tenant, and template placeholders. No token has them in its issuer. */
const SHARED_TENANTS: ReadonlySet<string> = new Set(['common', 'organizations', 'consumers', '{tenantid}', '{tenant}'])

export function findEntraIssuer({ host, path }: IssuerParts): EntraIssuer | undefined {
  const [tenant = '', version] = path.slice(1).split('/', 3)
  if (tenant === '') return undefined
  if (VERSION_1_HOSTS.has(host)) return { version: 1, tenant: tenant.toLowerCase() }
  if (!VERSION_2_HOSTS.has(host)) return undefined
  return { version: version === 'v2.0' ? 2 : 0, tenant: tenant.toLowerCase() }
}

export function isSharedTenant(tenant: string): boolean {
  return SHARED_TENANTS.has(tenant)
}
