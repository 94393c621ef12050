import { byText } from "./order.js";
import { asObject, parseJsonc } from "./resolve/jsonc.js";

/** Dependencies that say what a project is built with, and the names that people know them by. */
const NPM: Readonly<Record<string, string>> = {
  react: "React",
  "react-native": "React Native",
  next: "Next.js",
  vue: "Vue",
  nuxt: "Nuxt",
  svelte: "Svelte",
  "@sveltejs/kit": "SvelteKit",
  "@angular/core": "Angular",
  "solid-js": "Solid",
  astro: "Astro",
  gatsby: "Gatsby",
  "@remix-run/react": "Remix",
  electron: "Electron",
  expo: "Expo",
  express: "Express",
  fastify: "Fastify",
  koa: "Koa",
  hono: "Hono",
  "@hapi/hapi": "hapi",
  "@nestjs/core": "NestJS",
  "@trpc/server": "tRPC",
  "@modelcontextprotocol/sdk": "Model Context Protocol SDK",
};

/** Where the file's text is searched for a name: pattern → name. */
const TEXT: readonly (readonly [file: RegExp, dependencies: Readonly<Record<string, string>>])[] = [
  [
    /^(?:pyproject\.toml|requirements[\w.-]*\.txt|Pipfile|setup\.py|setup\.cfg)$/,
    {
      django: "Django",
      flask: "Flask",
      fastapi: "FastAPI",
      starlette: "Starlette",
      tornado: "Tornado",
      aiohttp: "aiohttp",
      pyramid: "Pyramid",
      celery: "Celery",
      scrapy: "Scrapy",
      streamlit: "Streamlit",
      torch: "PyTorch",
      tensorflow: "TensorFlow",
    },
  ],
  [
    /^go\.mod$/,
    {
      "github.com/gin-gonic/gin": "Gin",
      "github.com/labstack/echo": "Echo",
      "github.com/gofiber/fiber": "Fiber",
      "github.com/go-chi/chi": "chi",
      "github.com/gorilla/mux": "Gorilla",
      "github.com/spf13/cobra": "Cobra",
      "google.golang.org/grpc": "gRPC",
    },
  ],
  [
    /^Cargo\.toml$/,
    {
      "actix-web": "Actix Web",
      axum: "Axum",
      rocket: "Rocket",
      warp: "Warp",
      tokio: "Tokio",
      tauri: "Tauri",
      bevy: "Bevy",
      leptos: "Leptos",
      tonic: "Tonic",
    },
  ],
  [
    /^composer\.json$/,
    {
      "laravel/framework": "Laravel",
      "symfony/framework-bundle": "Symfony",
      "symfony/http-kernel": "Symfony",
      "slim/slim": "Slim",
      "cakephp/cakephp": "CakePHP",
      "yiisoft/yii2": "Yii",
    },
  ],
  [
    /^(?:Gemfile|[^/]+\.gemspec)$/,
    { rails: "Rails", sinatra: "Sinatra", hanami: "Hanami", sidekiq: "Sidekiq", jekyll: "Jekyll" },
  ],
  [
    /^(?:pom\.xml|build\.gradle(?:\.kts)?|libs\.versions\.toml|build\.sbt)$/,
    {
      "spring-boot": "Spring Boot",
      "io.quarkus": "Quarkus",
      "io.micronaut": "Micronaut",
      "io.ktor": "Ktor",
      "com.android.application": "Android",
      "com.android.library": "Android",
      "androidx.compose": "Jetpack Compose",
      "akka-actor": "Akka",
      zio: "ZIO",
      "cats-effect": "Cats Effect",
    },
  ],
  [
    /\.csproj$/,
    { "Microsoft.NET.Sdk.Web": "ASP.NET Core", "Microsoft.AspNetCore": "ASP.NET Core", Avalonia: "Avalonia" },
  ],
  [/^Package\.swift$/, { "vapor/vapor": "Vapor", "swift-composable-architecture": "Composable Architecture" }],
];

/** What the manifests of a project name, each once, in order. */
export function frameworksOf(manifests: Iterable<readonly [path: string, text: string]>): string[] {
  const found = new Set<string>();
  for (const [path, text] of manifests) {
    const base = path.slice(path.lastIndexOf("/") + 1);
    for (const name of base === "package.json" ? npmNames(text) : textNames(base, text)) found.add(name);
  }
  return [...found].sort(byText);
}

function npmNames(text: string): string[] {
  const manifest = asObject(parseJsonc(text));
  const lists = ["dependencies", "devDependencies", "peerDependencies"].map((key) => asObject(manifest?.[key]) ?? {});
  const listed = lists.flatMap((list) => Object.keys(list));
  return listed.flatMap((name) => (Object.hasOwn(NPM, name) ? [NPM[name] ?? ""] : []));
}

function textNames(base: string, text: string): string[] {
  const known = TEXT.filter(([file]) => file.test(base)).flatMap(([, dependencies]) => Object.entries(dependencies));
  const entries = text.split("\n").filter((line) => !/^\s*(?:#|\/\/|name\b|description\b|keywords\b)/.test(line));
  const searched = entries.join("\n");
  return known.filter(([dependency]) => mentions(searched, dependency)).map(([, name]) => name);
}

/** A plain word as a whole: `flask` is not `flask-login`. What has a mark in it may be the beginning of a name. */
function mentions(text: string, dependency: string): boolean {
  if (!/^\w+$/.test(dependency)) return text.includes(dependency);
  return new RegExp(`(?<![\\w.-])${dependency}(?![\\w-])`, "i").test(text);
}
