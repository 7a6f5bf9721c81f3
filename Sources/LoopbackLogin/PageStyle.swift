/// The style sheet of `ResultPage`.
enum PageStyle {
  /// SHA-256 of `text` in base64, which the page's policy permits; a test compares the two.
  static let digest = "Hjx/UCg15FSD4e5rYimMehim1NLr/u4dPRhAqHlOBa4="

  /// Readable from 320 pixels, in light and dark mode, with larger letters and forced colours.
  static let text = """
    :root{--ground:#f3f4f7;--card:#fff;--line:#dfe2e9;--text:#1b2030;--soft:#596175;\
    --good:#146c3c;--good-ground:#e2f4e9;--bad:#a3331f;--bad-ground:#fbe9e5}
    @media (prefers-color-scheme:dark){:root{--ground:#11141c;--card:#1b202c;--line:#303747;\
    --text:#eceff6;--soft:#a3acbf;--good:#6fd99b;--good-ground:#17352a;--bad:#ff9d88;\
    --bad-ground:#40231f}}
    *{box-sizing:border-box;margin:0}
    html{background:var(--ground);color:var(--text);\
    font:100%/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;\
    -webkit-text-size-adjust:100%}
    body{min-height:100vh;min-height:100svh;display:flex;flex-direction:column;align-items:center;\
    justify-content:center;gap:1.25rem;padding:1.25rem}
    main{width:100%;max-width:29rem;background:var(--card);border:1px solid var(--line);\
    border-radius:1.25rem;padding:2.5rem 2rem 2.25rem;text-align:center;\
    box-shadow:0 1px 2px rgb(0 0 0/.04),0 12px 32px rgb(0 0 0/.06)}
    .sign{width:4.5rem;height:4.5rem;fill:none;stroke-width:4;stroke-linecap:round;\
    stroke-linejoin:round;margin-bottom:1.1rem}
    .good .sign{stroke:var(--good)}
    .bad .sign{stroke:var(--bad)}
    .sign circle{stroke:none}
    .good .sign circle{fill:var(--good-ground)}
    .bad .sign circle{fill:var(--bad-ground)}
    h1{font-size:1.65rem;line-height:1.25;letter-spacing:-.015em;font-weight:650;\
    margin-bottom:1rem;text-wrap:balance}
    p,dd,blockquote{overflow-wrap:anywhere}
    .who{font-size:1.2rem;font-weight:600;line-height:1.35}
    .also{color:var(--soft)}
    dl{margin:1.35rem 0 0;border-top:1px solid var(--line);text-align:left}
    dl div{display:flex;justify-content:space-between;gap:1.5rem;padding:.6rem 0;\
    border-bottom:1px solid var(--line)}
    dt{color:var(--soft);flex:none}
    dd{text-align:right;font-weight:550;min-width:0}
    blockquote{margin-top:.75rem;padding:.8rem 1rem;border-radius:.75rem;\
    background:var(--bad-ground);text-align:left}
    .end{margin-top:1.5rem;color:var(--soft);text-wrap:balance}
    footer{display:flex;align-items:center;gap:.5rem;color:var(--soft);font-size:.875rem}
    footer svg{width:1rem;height:1rem;fill:none;stroke:currentColor;stroke-width:2;\
    stroke-linecap:round}
    @media (max-width:26rem){main{padding:2rem 1.25rem 1.75rem}h1{font-size:1.45rem}}
    @media (forced-colors:active){main{border-color:CanvasText}.sign{stroke:CanvasText!important}}
    """
}
