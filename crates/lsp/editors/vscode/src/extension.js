// The client: it starts `ludolog lsp`, and runs the commands of lenses in a terminal.

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

const path = () => vscode.workspace.getConfiguration("ludolog").get("path") || "ludolog";

/** The file of a lens, or that of the active editor. */
function file(uri) {
  return (uri ? vscode.Uri.parse(uri) : vscode.window.activeTextEditor?.document.uri)?.fsPath;
}

/** Runs the command in a terminal of its own, whose arguments no shell reads. */
function run(name, ...args) {
  vscode.window.createTerminal({ name: `ludolog ${name}`, shellPath: path(), shellArgs: args }).show();
}

/** Runs the command and shows what it prints, where a terminal would close at its end. */
function show(name, args) {
  const { execFile } = require("node:child_process");
  execFile(path(), args, { maxBuffer: 1 << 26 }, async (error, stdout, stderr) => {
    const content = stdout + stderr || String(error ?? "");
    const document = await vscode.workspace.openTextDocument({ content, language: "plaintext" });
    await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
  });
}

async function ask(command, uri, goal) {
  const rules = file(uri);
  const asked = goal ?? (await vscode.window.showInputBox({ prompt: command === "why" ? "A fact" : "A goal" }));
  if (rules !== undefined && asked) show(command, [command, rules, asked]);
}

function activate(context) {
  const register = (name, act) => context.subscriptions.push(vscode.commands.registerCommand(`ludolog.${name}`, act));
  register("run", (uri) => file(uri) && show("facts", ["facts", file(uri)]));
  register("play", (uri) => file(uri) && run("play", "play", file(uri)));
  register("ask", (uri, goal) => ask("query", uri, goal));
  register("why", (uri, goal) => ask("why", uri, goal));
  const server = { command: path(), args: ["lsp"], transport: TransportKind.stdio };
  const languages = ["datalog", "gdl"];
  const documentSelector = languages.flatMap((language) => [
    { scheme: "file", language },
    { scheme: "untitled", language },
  ]);
  const fileEvents = vscode.workspace.createFileSystemWatcher("**/*.{dl,kif,gdl}");
  client = new LanguageClient("ludolog", "Ludolog", server, { documentSelector, synchronize: { fileEvents } });
  context.subscriptions.push(client);
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
