//! Starts `boruna-lsp`: the command that the settings name, or the one on the worktree's PATH.

use zed_extension_api::{self as zed, settings::LspSettings, LanguageServerId, Result};

struct Boruna;

impl zed::Extension for Boruna {
    fn new() -> Self {
        Boruna
    }

    fn language_server_command(
        &mut self,
        id: &LanguageServerId,
        worktree: &zed::Worktree,
    ) -> Result<zed::Command> {
        let chosen = LspSettings::for_worktree(id.as_ref(), worktree)
            .ok()
            .and_then(|settings| settings.binary);
        let (path, arguments) = match chosen {
            Some(binary) => (binary.path, binary.arguments),
            None => (None, None),
        };
        let command = path
            .or_else(|| worktree.which("boruna-lsp"))
            .ok_or("boruna-lsp is not on PATH: install boruna-ls, or name it in the settings (lsp.boruna.binary.path)")?;
        Ok(zed::Command {
            command,
            args: arguments.unwrap_or_default(),
            env: worktree.shell_env(),
        })
    }
}

zed::register_extension!(Boruna);
