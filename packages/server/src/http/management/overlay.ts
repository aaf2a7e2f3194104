import type { PermissionEntity } from '@countersign/contract'
import type { FilterOptions } from '@countersign/core'
import { MANAGEMENT } from '../api-paths.ts'
import { emptyListResponse } from '../pipeline/memory-list-response.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import {
  CONFIG_TYPES,
  CONFIGS,
  EDGE_ROUTER_POLICIES,
  EDGE_ROUTERS,
  POSTURE_CHECKS,
  ROUTERS,
  SERVICE_EDGE_ROUTER_POLICIES,
  SERVICE_POLICIES,
  SERVICES,
  SESSIONS,
  TERMINATORS,
} from '../shared/overlay-symbols.ts'

const LISTS: readonly (readonly [name: string, plural: string, entity: PermissionEntity, options: FilterOptions])[] = [
  ['config-types', 'types of configurations', 'config-type', CONFIG_TYPES],
  ['configs', 'configurations', 'config', CONFIGS],
  ['edge-router-policies', 'router policies', 'edge-router-policy', EDGE_ROUTER_POLICIES],
  ['edge-routers', 'edge routers', 'router', EDGE_ROUTERS],
  ['posture-checks', 'posture checks', 'posture-check', POSTURE_CHECKS],
  ['routers', 'routers', 'router', ROUTERS],
  [
    'service-edge-router-policies',
    'router policies of services',
    'service-edge-router-policy',
    SERVICE_EDGE_ROUTER_POLICIES,
  ],
  ['service-policies', 'service policies', 'service-policy', SERVICE_POLICIES],
  ['services', 'services', 'service', SERVICES],
  ['sessions', 'service sessions', 'ops', SESSIONS],
  ['terminators', 'terminators', 'terminator', TERMINATORS],
  ['transit-routers', 'transit routers', 'router', ROUTERS],
]

/** What existing clients list to export everything. This controller has no overlay network, so every list is empty. */
export function managementOverlayRoutes(): Route[] {
  return LISTS.map(([name, plural, entity, options]) => ({
    method: 'GET',
    paths: [`${MANAGEMENT}/${name}`],
    access: { entity, action: 'read' },
    bodyCap: 'management',
    body: null,
    note: describe.list('OverlayThing', `List ${plural}: always empty`),
    handle: (call) => emptyListResponse(options, call),
  }))
}
