// The Kubernetes manifests: references between them are valid, and they meet the restricted Pod Security Standard.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run, scratch } from '../support/command.ts';
import { at, DEPLOY, dockerInstructions, mapping, readYaml, textAt, texts } from './deploy-files.ts';

const FOLDER = 'deploy/kubernetes';
const [kustomization] = readYaml(`${FOLDER}/kustomization.yaml`);
const objects = texts(kustomization, 'resources').flatMap((file) => readYaml(`${FOLDER}/${file}`));
const find = (kind: string, name = 'millrace'): unknown =>
  objects.find((each) => at(each, 'kind') === kind && at(each, 'metadata.name') === name);

const deployment = find('Deployment');
const pod = at(deployment, 'spec.template.spec');
const container = at(pod, 'containers.0');
const labels = at(deployment, 'spec.template.metadata.labels');
const settings = mapping(find('ConfigMap', 'millrace-settings'), 'data');
const portNames = new Set([...mapping(container, 'ports').values()].map((port) => at(port, 'name')));

test('every file of the folder is applied, and is a Kubernetes object', () => {
  const files = readdirSync(join(DEPLOY, 'kubernetes')).filter(
    (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
  );
  expect(texts(kustomization, 'resources').toSorted()).toEqual(files.toSorted());
  for (const each of objects) {
    expect(each).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
    expect(at(each, 'metadata.name')).toMatch(/^millrace(-[a-z]+)?$/);
  }
  expect(texts(kustomization, 'images.0')).toContain(at(container, 'image'));
});

test.each([
  { kind: 'Deployment', selector: 'spec.selector.matchLabels' },
  { kind: 'Service', selector: 'spec.selector' },
  { kind: 'PodDisruptionBudget', selector: 'spec.selector.matchLabels' },
  { kind: 'NetworkPolicy', selector: 'spec.podSelector.matchLabels' },
])('the $kind selects the pods of the deployment', ({ kind, selector }) => {
  expect(at(find(kind), selector)).toEqual(labels);
});

test('the PodMonitor, which needs definitions of its own, scrapes the admin port of the pods', () => {
  const [folder] = readYaml(`${FOLDER}/monitoring/kustomization.yaml`);
  expect(at(folder, 'namespace')).toBe(at(kustomization, 'namespace'));
  const [monitor] = texts(folder, 'resources').flatMap((file) => readYaml(`${FOLDER}/monitoring/${file}`));
  expect(monitor).toMatchObject({ apiVersion: 'monitoring.coreos.com/v1', kind: 'PodMonitor' });
  expect(at(monitor, 'spec.selector.matchLabels')).toEqual(labels);
  expect(at(monitor, 'spec.podMetricsEndpoints.0')).toMatchObject({ port: 'admin', path: '/metrics' });
  expect(portNames).toContain(at(monitor, 'spec.podMetricsEndpoints.0.port'));
});

test('the autoscaler targets the deployment, which sets no replica count', () => {
  const autoscaler = find('HorizontalPodAutoscaler');
  expect(at(autoscaler, 'spec.scaleTargetRef')).toEqual({
    apiVersion: at(deployment, 'apiVersion'),
    kind: 'Deployment',
    name: at(deployment, 'metadata.name'),
  });
  expect(at(deployment, 'spec.replicas')).toBeUndefined();
  const most = Number(at(autoscaler, 'spec.maxReplicas')) * Number(settings.get('MILLRACE_CONNECTIONS'));
  const [users] = readYaml('deploy/clickhouse/users.yaml');
  const [server] = readYaml('deploy/clickhouse/config.yaml');
  const ofUser = Number(at(users, 'profiles.millrace.max_concurrent_queries_for_user'));
  expect(most, 'queries of all replicas').toBeLessThanOrEqual(ofUser);
  expect(ofUser).toBeLessThan(Number(at(server, 'max_concurrent_queries')));
});

test('ports refer to names that the container has', () => {
  const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) =>
    at(container, `${probe}.httpGet.port`),
  );
  const policy = at(find('NetworkPolicy'), 'spec.ingress');
  const called = [
    ...probes,
    at(find('Service'), 'spec.ports.0.targetPort'),
    at(policy, '0.ports.0.port'),
    at(policy, '1.ports.0.port'),
  ];
  expect(called.filter((name) => !portNames.has(name))).toEqual([]);
  expect(at(policy, '1.from'), 'the admin listener asks for no key').toBeDefined();
  expect([at(policy, '0.ports.0.port'), at(policy, '0.ports.1')]).toEqual(['http', undefined]);
});

test('meets the restricted Pod Security Standard, with a read-only root file system', () => {
  expect(at(find('Namespace'), 'metadata.labels')).toMatchObject({
    'pod-security.kubernetes.io/enforce': 'restricted',
  });
  expect(at(pod, 'securityContext')).toMatchObject({
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  });
  expect(at(container, 'securityContext')).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  });
  const user = `${textAt(pod, 'securityContext.runAsUser')}:${textAt(pod, 'securityContext.runAsGroup')}`;
  expect(dockerInstructions().findLast(({ name }) => name === 'USER')?.rest).toBe(user);
  expect(pod).toMatchObject({ automountServiceAccountToken: false });
});

test('environment variables of a Service named like the settings set no setting', () => {
  expect(find('Service')).toBeDefined();
  expect(at(pod, 'enableServiceLinks')).toBe(false);
});

test('no probe depends on ClickHouse: a replica that starts while it is unavailable serves cached responses', () => {
  const paths = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((probe) =>
    at(container, `${probe}.httpGet.path`),
  );
  expect(new Set(paths)).toEqual(new Set(['/health/live']));
});

test('the termination grace period is long enough to be taken out of service and to drain', () => {
  const delay = Number(settings.get('MILLRACE_SHUTDOWN_DELAY'));
  const drain = Number(settings.get('MILLRACE_DRAIN_TIMEOUT'));
  expect(Number(at(pod, 'terminationGracePeriodSeconds'))).toBeGreaterThan(delay + drain);
});

describe('volumes', () => {
  const volumes = [...mapping(pod, 'volumes').values()];
  const mounts = [...mapping(container, 'volumeMounts').values()];

  test('are all mounted, as whole folders, where the image expects them', () => {
    const names = (list: readonly unknown[]): readonly string[] => list.map((each) => textAt(each, 'name'));
    expect(new Set(names(mounts))).toEqual(new Set(names(volumes)));
    expect(mounts.filter((each) => at(each, 'subPath') !== undefined)).toEqual([]);
    const home = dockerInstructions().findLast(({ name }) => name === 'WORKDIR')?.rest ?? '';
    const paths = mounts.map((each) => at(each, 'mountPath'));
    expect(paths).toEqual(expect.arrayContaining([`${home}/endpoints`, '/var/lib/millrace']));
    const tokens = String(settings.get('MILLRACE_TOKENS'));
    expect(paths).toContain(join(home, tokens, '..'));
  });

  test('that are config maps are applied too', () => {
    for (const volume of volumes) {
      const name = textAt(volume, 'configMap.name');
      if (name !== '') expect(find('ConfigMap', name)).toBeDefined();
    }
    const env = textAt(container, 'envFrom.0.configMapRef.name');
    expect(find('ConfigMap', env)).toBeDefined();
  });
});

test('the endpoint files of the config map are valid, warnings included', async () => {
  const cwd = scratch();
  mkdirSync(join(cwd, 'endpoints'));
  for (const [name, text] of mapping(find('ConfigMap', 'millrace-endpoints'), 'data')) {
    expect(name).toMatch(/^[-._a-zA-Z0-9]+\.yaml$/);
    writeFileSync(join(cwd, 'endpoints', name), String(text));
  }
  const { code, out, err } = await run(['validate', '--strict'], { cwd });
  expect([code, out + err]).toEqual([0, expect.stringContaining('0 errors, 0 warnings')]);
});
