"""The values everything else passes around: frozen, slotted, keyword-only, standard library only."""
