/// The style of the views: readable at phone width, by day and by night, with a visible focus.
enum ViewStyle {
  static let text = """
    :root{--ground:#f4f5f8;--card:#fff;--line:#d9dde6;--text:#1a1f2e;--soft:#565e72;--main:#1d4fd8;\
    --on-main:#fff;--notice:#fff4d6;--notice-text:#5c4300}
    @media (prefers-color-scheme:dark){:root{--ground:#11141c;--card:#1b202c;--line:#343c4e;\
    --text:#eceff6;--soft:#a6afc2;--main:#8ab0ff;--on-main:#0c1a3d;--notice:#3a3113;\
    --notice-text:#ffe2a0}}
    *{box-sizing:border-box;margin:0}
    html{background:var(--ground);color:var(--text);\
    font:100%/1.5 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
    body{min-height:100vh;display:flex;align-items:center;justify-content:center;padding:1rem}
    main{width:100%;max-width:26rem;background:var(--card);border:1px solid var(--line);\
    border-radius:1rem;padding:2rem 1.5rem}
    h1{font-size:1.5rem;line-height:1.25;margin-bottom:1rem;overflow-wrap:anywhere}
    p,dl,pre{margin-bottom:1rem;overflow-wrap:anywhere}
    .also{color:var(--soft)}
    .notice{background:var(--notice);color:var(--notice-text);padding:.75rem 1rem;\
    border-radius:.6rem}
    .sign{font-size:1.15rem;font-weight:600}
    label{display:block;font-weight:600;margin-bottom:.25rem}
    input{width:100%;font:inherit;color:inherit;background:transparent;padding:.6rem .75rem;\
    border:1px solid var(--soft);border-radius:.6rem;margin-bottom:1rem}
    button,.button{display:block;width:100%;font:inherit;font-weight:600;text-align:center;\
    text-decoration:none;color:inherit;background:transparent;padding:.65rem 1rem;\
    border:1px solid var(--soft);border-radius:.6rem;cursor:pointer;margin-bottom:.75rem}
    .main,.button{background:var(--main);color:var(--on-main);border-color:var(--main)}
    a{color:var(--main)}
    a.button{color:var(--on-main)}
    :focus-visible{outline:3px solid var(--main);outline-offset:2px}
    dl div{display:flex;justify-content:space-between;gap:1rem;padding:.5rem 0;\
    border-bottom:1px solid var(--line)}
    dt{color:var(--soft)}
    dd{text-align:right;min-width:0;overflow-wrap:anywhere}
    pre{white-space:pre-wrap;background:var(--ground);padding:1rem;border-radius:.6rem;\
    font-size:.875rem}
    """
}
