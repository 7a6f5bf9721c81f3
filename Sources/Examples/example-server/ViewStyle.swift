/// The style of the views: readable at phone width, in light and dark mode.
///
/// Only keyboard focus shows a ring. A focused element that is not a control, such as a heading,
/// has none: its focus only tells a screen reader where the page begins.
enum ViewStyle {
  static let text: HTML = """
    :root{--ground:#f5f2eb;--card:#fffdf8;--line:#e3ddcf;--edge:#80796a;--text:#1f1b13;\
    --soft:#5f594b;--main:#0d5f56;--deep:#0a4b44;--on-main:#fff;--tint:#e2efec;\
    --good:#e0f1e6;--good-text:#0f5130;--bad:#fbe8e4;--bad-text:#93200f;\
    --shade:0 1px 2px #2a22100f,0 16px 40px #2a221014}
    @media (prefers-color-scheme:dark){:root{--ground:#12110e;--card:#1c1a16;--line:#37332a;\
    --edge:#928b7a;--text:#f4f0e7;--soft:#b8b1a1;--main:#6fd3c1;--deep:#97e2d5;--on-main:#05241f;\
    --tint:#1d3531;--good:#15321f;--good-text:#a8e6bf;--bad:#411d16;--bad-text:#ffb7a8;\
    --shade:none}}
    *{box-sizing:border-box;margin:0}
    html{background:var(--ground);color:var(--text);\
    font:100%/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif;-webkit-text-size-adjust:100%}
    body{min-height:100vh;display:flex;flex-direction:column;align-items:center;\
    justify-content:center;padding:1.5rem 1rem;gap:1.5rem}
    header{display:flex;align-items:center;gap:.65rem;font-size:1.0625rem;font-weight:650;\
    letter-spacing:-.005em}
    header svg{width:2.25rem;height:2.25rem;flex:none}
    header span{color:var(--soft);font-weight:450}
    main{width:100%;max-width:27rem;background:var(--card);border:1px solid var(--line);\
    border-radius:1rem;padding:1.75rem 1.5rem 1.5rem;box-shadow:var(--shade)}
    @media (min-width:40rem){main{padding:2.25rem 2.5rem 2rem}}
    footer{color:var(--soft);font-size:.875rem;text-align:center;text-wrap:balance}
    h1{font-size:1.625rem;line-height:1.2;letter-spacing:-.015em;font-weight:650;\
    margin-bottom:1.25rem;overflow-wrap:anywhere;text-wrap:balance}
    .icon{width:3.25rem;height:3.25rem;margin-bottom:1rem;border-radius:.9rem;display:grid;\
    place-items:center;background:var(--tint);color:var(--main);font-size:1.375rem;font-weight:650}
    .icon.bad{background:var(--bad);color:var(--bad-text)}
    .icon svg{fill:none;stroke:currentColor;stroke-width:1.7;stroke-linecap:round;\
    stroke-linejoin:round;display:block}
    p,dl,.notice{margin-bottom:1.25rem;overflow-wrap:anywhere}
    main>:last-child,main>:last-child button{margin-bottom:0}
    .lead{color:var(--soft)}
    h1+.lead{margin-top:-.9rem}
    .notice{background:var(--good);color:var(--good-text);padding:.7rem .9rem;border-radius:.6rem}
    .alert{background:var(--bad);color:var(--bad-text)}
    .wrong{color:var(--bad-text);margin:.4rem 0 0;font-size:.9375rem;display:flex;gap:.4rem}
    .wrong svg{flex:none;width:1.1rem;height:1.1rem;margin-top:.15rem;fill:none;\
    stroke:currentColor;stroke-width:2;stroke-linecap:round}
    .hint{color:var(--soft);margin-bottom:.4rem;font-size:.9375rem}
    .sign{font-weight:600;border-radius:.6rem;padding:.65rem .9rem;background:var(--tint)}
    .field{margin-bottom:1.25rem}
    label{display:block;font-weight:600;margin-bottom:.35rem;overflow-wrap:anywhere}
    input{display:block;width:100%;min-height:2.875rem;font:inherit;color:inherit;\
    background:var(--card);padding:.5rem .8rem;border:1px solid var(--edge);border-radius:.6rem}
    input[aria-invalid]{border-color:var(--bad-text)}
    button,.button{display:block;width:100%;min-height:2.875rem;font:inherit;font-weight:600;\
    line-height:1.5;text-align:center;text-decoration:none;color:var(--text);\
    background:var(--card);padding:.6rem 1rem;border:1px solid var(--edge);border-radius:.6rem;\
    cursor:pointer;margin-bottom:.75rem}
    button:hover{background:var(--tint)}
    .main,a.button{background:var(--main);color:var(--on-main);border-color:var(--main)}
    .main:hover,a.button:hover{background:var(--deep);border-color:var(--deep)}
    .quiet{border-color:transparent;color:var(--main);background:transparent;margin-bottom:0}
    a{color:var(--main);text-underline-offset:.15em}
    :focus{outline:none}
    :focus-visible{outline:2px solid var(--main);outline-offset:2px}
    input:focus-visible{outline-offset:-1px}
    [tabindex="-1"]:focus-visible{outline:none}
    dl{border-top:1px solid var(--line)}
    dl div{display:flex;justify-content:space-between;gap:1.5rem;padding:.6rem 0;\
    border-bottom:1px solid var(--line)}
    dt{color:var(--soft);flex:none}
    dd{text-align:right;min-width:0;overflow-wrap:anywhere}
    .on,.off{display:inline-block;padding:0 .6rem;border-radius:1rem;font-size:.9375rem;\
    background:var(--good);color:var(--good-text)}
    .off{background:var(--tint);color:var(--text)}
    .turn{width:1.6rem;height:1.6rem;border-radius:50%;border:3px solid var(--main);\
    border-right-color:transparent}
    @media (prefers-reduced-motion:no-preference){.turn{animation:turn 1s linear infinite}\
    .calm svg{animation:breathe 2.4s ease-in-out infinite}\
    button,a.button{transition:background-color .15s}}
    @keyframes turn{to{transform:rotate(1turn)}}
    @keyframes breathe{50%{opacity:.55}}
    @media (forced-colors:active){.notice,.sign{border:1px solid CanvasText}}
    """
}
