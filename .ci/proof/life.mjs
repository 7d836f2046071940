// The life of a feature that a check proves: red, green, stale, broken, mended, over three sessions and servers.
// F002 is that feature; F001 is more urgent and has no check.
import { check } from './count.mjs';
import { Project } from './project.mjs';
import { Server } from './client.mjs';

const id = 'F002';
const close = { focus: 'proof', next_steps: ['go on with the next feature'] };

// live takes a sample through it. The sample says:
//   type, initScript, environment   for the project and harness_init
//   bystander, proved, others       the items of the feature list
//   red, green, broken              what the check prints in each state, and red's exit code
//   harmless, harmful               edits of the code that the feature covers
//   opened(server, reply)           after each session_start
//   settled(server)                 waits until what runs has taken up an edit
//   last(server)                    the third session, with F001 claimed
//   closed(how)                     after a session or server that kept processes has ended
export async function live(binary, sample) {
  const project = new Project(sample.type, sample.environment);
  sample.project = project;
  await build(binary, sample);
  check(`${sample.type}: nothing is left running after the first session`, project.processes().length === 0, project.processes());
  await breakAndMend(binary, sample);
  check(`${sample.type}: nothing is left running after the second session`, project.processes().length === 0, project.processes());
  await goOn(binary, sample);
  project.remove();
}

async function build(binary, sample) {
  const { type, project } = sample;
  const server = await Server.start(binary, project);
  const made = await server.call('harness_init', {
    project: `the ${type}`, type, init_script: sample.initScript, features: [sample.bystander, sample.proved, ...sample.others ?? []],
  });
  check(`${type}: the first session is open`, made.session === 'session-001', made);
  const claimed = await server.call('next_feature', { id });
  check(`${type}: ${id} is claimed`, claimed.feature?.id === id && claimed.feature.check === sample.proved.check, claimed);
  const opened = await server.call('session_start');
  check(`${type}: init.sh ran`, opened.init?.ran && opened.init.ok && opened.init.exit_code === 0, opened.init);
  check(`${type}: the claim is kept`, opened.session === 'session-001' && opened.feature?.id === id, opened);
  await sample.opened?.(server, opened);

  await server.refused('mark_feature_passed', { id }, 'check-failed', `exit code ${sample.red.exitCode}`, ...sample.red.prints);
  await server.refused('mark_feature_passed', { id, evidence: 'I have seen that it works' }, 'check-failed', ...sample.red.prints);
  const red = await server.feature(id);
  check(`${type}: a red feature is not passed`, red.status === 'claimed' && !red.proof, red);
  const attempt = (await server.evidence(id)).records?.[0] ?? {};
  check(`${type}: the attempt is in the ledger`, attempt.kind === 'attempt' && attempt.code === 'check-failed' && attempt.proof?.exit_code === sample.red.exitCode, attempt);

  project.build();
  await sample.settled?.(server);
  const marked = await server.call('mark_feature_passed', { id });
  check(`${type}: ${id} has passed`, marked.passed === true && marked.changed === true && marked.counts.passed === 1, marked);
  const again = await server.call('mark_feature_passed', { id });
  check(`${type}: a second mark changes nothing`, again.passed === true && again.changed === false, again);
  await shows(sample, server, 'after the pass');

  const committed = await server.call('commit', { message: sample.proved.description });
  check(`${type}: what was built is committed`, committed.files?.includes(sample.harmless.file) && !committed.left_out, committed);
  const message = project.run('git', 'log', '-1', '--format=%B');
  check(`${type}: the commit names the feature`, message.includes(id) && message.includes(`Harness-Feature: ${id}`), message);
  await stale(sample, server, false, 'after its commit');
  const ended = await server.call('session_end', close);
  check(`${type}: the first session ends complete`, ended.closed && ended.complete, ended);
  await sample.closed?.('session_end');
  await server.stop();
}

async function breakAndMend(binary, sample) {
  const { type, project } = sample;
  const server = await Server.start(binary, project);
  const opened = await server.call('session_start');
  check(`${type}: the second session offers the urgent feature`, opened.session === 'session-002' && opened.feature?.id === 'F001', opened);
  await sample.opened?.(server, opened);
  await stale(sample, server, false, 'in the next session');
  const nothing = await server.call('verify_features', { scope: 'stale' });
  check(`${type}: nothing is stale`, nothing.results?.length === 0, nothing);

  project.edit(sample.harmless);
  await sample.settled?.(server);
  await stale(sample, server, true, 'after a harmless edit');
  const green = await server.call('verify_features', { scope: 'stale' });
  check(`${type}: the stale check runs green`, green.results?.length === 1 && green.results[0].id === id && green.results[0].ok === true && green.results[0].exit_code === 0, green);
  await stale(sample, server, false, 'after a green check');
  await shows(sample, server, 'after a green check');

  project.edit(sample.harmful);
  await sample.settled?.(server);
  await stale(sample, server, true, 'after a harmful edit');
  const red = await server.call('verify_features', { scope: 'stale' });
  const result = red.results?.[0] ?? {};
  check(`${type}: the stale check runs red`, result.id === id && result.ok === false && result.code === 'check-failed' && result.exit_code > 0, red);
  for (const part of sample.broken) check(`${type}: its tail names ${part}`, result.tail?.includes(part), result);
  check(`${type}: what is next is the regression`, red.next?.includes('report_regression') && red.next.includes(id), red.next);
  const still = await server.feature(id);
  check(`${type}: a red check changes no pass`, still.status === 'passed', still);
  const record = (await server.evidence(id)).records?.[0] ?? {};
  check(`${type}: the red check is in the ledger`, record.kind === 'verified' && record.code === 'check-failed' && record.proof?.exit_code === result.exit_code, record);

  const reported = await server.call('report_regression', { id, reason: 'the check has turned red' });
  check(`${type}: ${id} is not passed any more`, reported.passed === false && reported.changed === true && reported.counts.passed === 0, reported);
  const regressed = await server.feature(id);
  check(`${type}: ${id} is shown as regressed`, regressed.status === 'regressed', regressed);
  await server.call('next_feature', { release: `${id} is broken` });
  const offered = await server.call('next_feature');
  check(`${type}: the regressed feature goes before the urgent one`, offered.feature?.id === id, offered);
  await server.refused('mark_feature_passed', { id }, 'check-failed', ...sample.broken);

  project.edit({ file: sample.harmful.file, from: sample.harmful.to, to: sample.harmful.from });
  await sample.settled?.(server);
  const mended = await server.call('mark_feature_passed', { id });
  check(`${type}: ${id} has passed again`, mended.passed === true && mended.changed === true, mended);
  await shows(sample, server, 'after the mending');
  await server.call('commit', { type: 'fix', message: `mend: ${sample.proved.description}` });
  await server.call('append_progress', close);
  if (sample.closed) {
    await server.stop(); // with the session open
    await sample.closed('the end of the server');
    return;
  }
  const ended = await server.call('session_end', close);
  check(`${type}: the second session ends complete`, ended.closed && ended.complete, ended);
  await server.stop();
}

async function goOn(binary, sample) {
  const { type } = sample;
  let server = await Server.start(binary, sample.project);
  if (sample.closed) { // the session is open still
    const resumed = await server.call('session_start');
    check(`${type}: the open session is resumed`, resumed.session === 'session-002' && resumed.resumed === true && resumed.state === 'session_done', resumed);
    await sample.opened(server, resumed);
    process.kill(server.pid, 'SIGKILL');
    await sample.closed('the killing of the server');
    server = await Server.start(binary, sample.project);
    await server.call('session_start');
    const ended = await server.call('session_end', close);
    check(`${type}: the resumed session ends complete`, ended.closed && ended.complete, ended);
    await sample.closed('session_end of a resumed session');
  }
  const opened = await server.call('session_start');
  check(`${type}: the third session offers the urgent feature`, opened.session === 'session-003' && opened.feature?.id === 'F001', opened);
  await sample.last?.(server);
  const audit = await server.call('status', { audit: true });
  check(`${type}: the audit finds nothing`, audit.integrity?.ok === true && audit.integrity.audited && !audit.integrity.findings && !audit.tampered, audit);
  await server.stop();
}

// shows holds what is told of the standing proof against what the check is and prints.
async function shows({ type, project, proved, green }, server, when) {
  const { proof = {}, status } = await server.feature(id);
  check(`${type}: ${id} is passed ${when}`, status === 'passed', status);
  const { passed, stale: isStale, records = [] } = await server.evidence(id);
  check(`${type}: the evidence of ${id} counts ${when}`, passed === true && !isStale, { passed, isStale });
  const inLedger = project.ledger().findLast((record) => record.id === id && record.proof)?.proof;
  for (const [where, p] of [['list_features', proof], ['the evidence', records[0]?.proof ?? {}], ['the ledger', inLedger ?? {}]]) {
    const what = `${type}: ${where} ${when}`;
    check(`${what}: kind`, p.kind === 'observed', p);
    check(`${what}: command`, p.command === proved.check, p);
    check(`${what}: exit code`, p.exit_code === 0, p);
    for (const part of green) check(`${what}: the tail holds ${part}`, p.tail?.includes(part), p);
  }
}

async function stale({ type }, server, want, when) {
  const { proof = {}, status } = await server.feature(id);
  check(`${type}: ${id} stays passed ${when}`, status === 'passed', status);
  check(`${type}: list_features ${want ? 'shows' : 'does not show'} ${id} stale ${when}`, (proof.stale ?? false) === want, proof);
  const evidence = await server.evidence(id);
  check(`${type}: the evidence ${want ? 'is' : 'is not'} stale ${when}`, (evidence.stale ?? false) === want, evidence);
}
