// A text as a link: compressed, behind `#`.

/** The longest text of a link, so that one cannot fill the memory of a tab. */
const MOST = 1 << 20;

async function through(bytes, stream) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > MOST) {
      await reader.cancel();
      throw new Error("its text is longer than a mebibyte");
    }
    parts.push(value);
  }
}

export async function pack(text) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(text)), new CompressionStream("deflate-raw"));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(link) {
  const letters = atob(link.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const read = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw"))));
  if (typeof read.text !== "string" || typeof read.name !== "string") throw new Error("it holds no text");
  return { name: read.name, text: read.text };
}
