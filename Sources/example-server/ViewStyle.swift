/// The style of the views: readable at phone width, by day and by night, with a visible focus.
enum ViewStyle {
  static let text: HTML = """
    :root{--ground:#f3f4f7;--card:#fff;--line:#dde1ea;--edge:#767e91;--text:#171c2b;\
    --soft:#525a6e;--main:#2450d4;--deep:#1b3fae;--on-main:#fff;--tint:#e9eefd;\
    --good:#e4f4ea;--good-text:#11532b;--bad:#fdebea;--bad-text:#8f1717;--shade:0 1px 2px #0b153514,\
    0 12px 32px #0b153514}
    @media (prefers-color-scheme:dark){:root{--ground:#10131a;--card:#1a1f2a;--line:#2f3748;\
    --edge:#7f889c;--text:#eef1f7;--soft:#aab3c5;--main:#8fb1ff;--deep:#b3caff;--on-main:#0b1738;\
    --tint:#243252;--good:#16321f;--good-text:#a9e5bd;--bad:#3d1b1d;--bad-text:#ffb9b4;\
    --shade:none}}
    *{box-sizing:border-box;margin:0}
    html{background:var(--ground);color:var(--text);\
    font:100%/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
    body{min-height:100vh;display:flex;flex-direction:column;align-items:center;\
    justify-content:center;padding:1.5rem 1rem;gap:1.25rem}
    main{width:100%;max-width:27rem;background:var(--card);border:1px solid var(--line);\
    border-radius:1.25rem;padding:2rem 1.5rem 1.5rem;box-shadow:var(--shade)}
    @media (min-width:40rem){main{padding:2.5rem 2.5rem 2rem}}
    footer{color:var(--soft);font-size:.875rem;text-align:center}
    h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;margin-bottom:.75rem;\
    text-align:center;overflow-wrap:anywhere;text-wrap:balance}
    .icon{width:3.5rem;height:3.5rem;margin:0 auto 1rem;border-radius:50%;display:grid;\
    place-items:center;background:var(--tint);color:var(--main);font-size:1.5rem;font-weight:600}
    .icon.bad{background:var(--bad);color:var(--bad-text)}
    svg{fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;\
    stroke-linejoin:round;display:block}
    p,dl,.notice{margin-bottom:1.25rem;overflow-wrap:anywhere}
    main>:last-child,main>:last-child button{margin-bottom:0}
    .lead{color:var(--soft);text-align:center}
    .notice,.wrong{background:var(--good);color:var(--good-text);padding:.75rem 1rem;\
    border-radius:.75rem}
    .alert,.wrong{background:var(--bad);color:var(--bad-text)}
    .wrong{padding:.4rem .75rem;margin-bottom:.4rem;font-size:.9375rem}
    .hint{color:var(--soft);margin-bottom:.4rem;font-size:.9375rem}
    .sign{font-size:1.125rem;font-weight:600;text-align:center;border-radius:.75rem;padding:.65rem;\
    background:var(--tint)}
    .field{margin-bottom:1.25rem}
    label{display:block;font-weight:600;margin-bottom:.35rem;overflow-wrap:anywhere}
    input{display:block;width:100%;min-height:2.875rem;font:inherit;color:inherit;\
    background:var(--card);padding:.5rem .85rem;border:1px solid var(--edge);border-radius:.75rem}
    input[aria-invalid]{border-color:var(--bad-text);border-width:2px}
    button,.button{display:block;width:100%;min-height:2.875rem;font:inherit;font-weight:600;\
    line-height:1.5;text-align:center;text-decoration:none;color:var(--text);\
    background:var(--card);padding:.6rem 1rem;border:1px solid var(--edge);border-radius:.75rem;\
    cursor:pointer;margin-bottom:.75rem}
    button:hover{background:var(--tint)}
    .main,a.button{background:var(--main);color:var(--on-main);border-color:var(--main)}
    .main:hover,a.button:hover{background:var(--deep);border-color:var(--deep)}
    .quiet{border-color:transparent;color:var(--main);background:transparent;margin-bottom:0}
    a{color:var(--main);text-underline-offset:.15em}
    :focus-visible{outline:3px solid var(--main);outline-offset:2px}
    dl{border-top:1px solid var(--line)}
    dl div{display:flex;justify-content:space-between;gap:1.5rem;padding:.65rem 0;\
    border-bottom:1px solid var(--line)}
    dt{color:var(--soft);flex:none}
    dd{text-align:right;min-width:0;overflow-wrap:anywhere}
    .on,.off{display:inline-block;padding:0 .65rem;border-radius:1rem;font-size:.9375rem;\
    background:var(--good);color:var(--good-text)}
    .off{background:var(--tint);color:var(--text)}
    .turn{width:1.75rem;height:1.75rem;border-radius:50%;border:3px solid var(--main);\
    border-right-color:transparent}
    @media (prefers-reduced-motion:no-preference){.turn{animation:turn 1s linear infinite}\
    .calm svg{animation:breathe 2.4s ease-in-out infinite}\
    button,a.button{transition:background-color .15s}}
    @keyframes turn{to{transform:rotate(1turn)}}
    @keyframes breathe{50%{opacity:.55}}
    """
}
