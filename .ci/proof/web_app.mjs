// A page, proved by a test in a browser that starts and stops its own server; a picture of it proves what no check does.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { check } from './count.mjs';

const observed = (artifact) => [
  { step: 1, observed: 'The heading reads Notes and the note "buy milk" stands below the field', artifact },
  { step: 2, observed: 'At 480 pixels the button stands to the right of the field and nothing is cut off' },
];

export const webApp = {
  type: 'web-app',
  initScript: 'prepare',
  bystander: { description: 'The page is readable on a phone', priority: 1, steps: ['Open the page and add a note', 'Look at it 480 pixels wide'] },
  proved: { description: 'A note that is added shows in the list', priority: 5, check: 'node --test add-note.test.cjs', files: ['page.html', 'server.mjs'] },
  red: { exitCode: 1, prints: ['the list of notes', 'buy milk'] },
  green: ['served at http://127.0.0.1:', '# pass 1', '# fail 0'],
  broken: ['the field is empty again'],
  harmless: { file: 'page.html', from: '<title>Notes</title>', to: '<title>My notes</title>' },
  harmful: { file: 'page.html', from: "text.value = '';", to: "text.value += '';" },

  async opened(server, { session }) {
    if (session === 'session-002') this.shoot('shots/old.png');
  },

  async last(server) {
    const { project } = this;
    const old = join(project.folder, 'shots/old.png');
    const id = 'F001';
    check('web-app: the old picture is older than the claim', readFileSync(old).length > 0, old);
    await server.refused('mark_feature_passed', { id }, 'evidence-required');
    await server.refused('mark_feature_passed', { id, evidence: observed('shots/old.png') }, 'artifact-missing', 'shots/old.png');
    await server.refused('mark_feature_passed', { id, evidence: observed('shots/none.png') }, 'artifact-missing', 'shots/none.png');
    writeFileSync(join(project.folder, 'shots/empty.png'), '');
    await server.refused('mark_feature_passed', { id, evidence: observed('shots/empty.png') }, 'artifact-missing', 'shots/empty.png');
    copyFileSync(old, join(project.top, 'outside.png'));
    await server.refused('mark_feature_passed', { id, evidence: observed('../outside.png') }, 'outside-project', 'outside.png');
    await server.refused('mark_feature_passed', { id, evidence: observed('shots/new.png').slice(1) }, 'evidence-incomplete', 'step 1');

    const picture = this.shoot('shots/new.png');
    check('web-app: the picture is a PNG of 480 by 320', picture.subarray(1, 4).toString() === 'PNG' && picture.readUInt32BE(16) === 480 && picture.readUInt32BE(20) === 320, picture.subarray(0, 24));
    const marked = await server.call('mark_feature_passed', { id, evidence: observed('shots/new.png') });
    check('web-app: the attested feature has passed', marked.passed && marked.changed && marked.proof?.kind === 'attested' && marked.counts.passed === 2, marked);
    const { proof } = await server.feature(id);
    check('web-app: list_features shows the evidence', proof?.kind === 'attested' && proof.evidence?.[0]?.artifact === 'shots/new.png' && proof.evidence.length === 2, proof);
    const record = (await server.evidence(id)).records?.[0];
    check('web-app: the evidence resource shows it', record?.proof?.kind === 'attested' && record.proof.evidence?.[0]?.artifact === 'shots/new.png', record);
    const committed = await server.call('commit', { message: 'the page is readable on a phone' });
    check('web-app: the picture is committed with it', committed.files?.includes('shots/new.png'), committed);
  },

  shoot(file) {
    this.project.run('node', 'screenshot.cjs', file);
    return readFileSync(join(this.project.folder, file));
  },
};
